"""Cut the Chinese font that pictures ship with: only the characters which the course shows.

Run it after the words of attention_lab/wording/zh.json have changed; tests/test_wording.py says when:

    python notebooks/authoring/font.py [FOLDER]

FOLDER holds NotoSansCJK-Regular.ttc and NotoSansCJK-Bold.ttc, which are under the SIL Open Font License
(Debian and Ubuntu: `apt-get install fonts-noto-cjk`). The subset goes by a name of its own, so that it never
stands in for the whole font where both are installed. The same words and sources give the same bytes.
"""

import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTCollection

FOLDER = Path("/usr/share/fonts/opentype/noto")
PACKAGE = Path(__file__).parents[2] / "attention_lab"
FAMILY = "Attention Lab Sans SC"
ALWAYS = (
    "".join(map(chr, range(0x20, 0x7F)))
    + "−±×÷·√∞≈≠≤≥∈∑∂‖→←✓½¼°²³…–—“”‘’，。：；！？（）、《》"
    + "".join(
        map(chr, [*range(0x391, 0x3A2), *range(0x3A3, 0x3AA), *range(0x3B1, 0x3CA)])  # Greek
    )
)


def cut(source):
    """A source's simplified Chinese font, a TTFont, reduced to ALWAYS and the characters of the wording."""
    characters = set(ALWAYS) | set((PACKAGE / "wording/zh.json").read_text(encoding="utf-8"))
    fonts = TTCollection(source, recalcTimestamp=False).fonts  # the source's date: equal runs, equal bytes
    font = next(f for f in fonts if f["name"].getDebugName(1) == "Noto Sans CJK SC")
    options = subset.Options(layout_features=[], hinting=False, name_IDs=[0, 1, 2, 4, 5, 6, 13, 14])
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=map(ord, characters))
    subsetter.subset(font)
    weight = font["name"].getDebugName(2)
    names = {1: FAMILY, 4: f"{FAMILY} {weight}", 6: f"{FAMILY.replace(' ', '')}-{weight}"}
    for record in font["name"].names:
        record.string = names.get(record.nameID, record.string)
    table = font["CFF "].cff
    table.fontNames = [names[6]]
    table.topDictIndex[0].FamilyName, table.topDictIndex[0].FullName = names[1], names[4]
    return font


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    for weight in ("Regular", "Bold"):
        target = PACKAGE / "data" / f"chinese-{weight.lower()}.otf"
        font = cut(folder / f"NotoSansCJK-{weight}.ttc")
        font.save(target)
        print(f"{target.name}: {len(font.getBestCmap())} characters, {target.stat().st_size / 1000:.0f} kB")
