"""The Chinese edition: in step with the English one, cell by cell and page by page, and set as Chinese is set."""

import re
import unicodedata
from collections import Counter
from pathlib import Path

import links
import nbformat
import pytest
import translations
from stored import read, said, source

ROOT = Path(__file__).resolve().parents[1]
PAIRS = translations.pairs(ROOT)
NOTEBOOKS = [pair for pair in PAIRS if pair[0].suffix == ".ipynb"]
PAGES = [pair for pair in PAIRS if pair[0].suffix == ".md"]
HAN = "\u3400-\u9fff"
FULL = "，。；：？！（）“”、《》…"

MATHS = re.compile(r"\$\$.+?\$\$|\$[^$]+?\$", re.S)
FENCED = re.compile(r"^```.*?^```$", re.M | re.S)
INLINE = re.compile(r"`[^`]+`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
# A sign belongs to a number unless it stands between two things, as in 3 − 1 or 0–1.
NUMBER = re.compile(r"(?<![\w.,])(?:(?<![\w@`)])[-−])?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?(?![\w])")


# --- the rules: each takes the English and the Chinese text of a cell or page and returns what is wrong ---


def without_code(text):
    return INLINE.sub("`x`", FENCED.sub("", text))


def words_only(text):
    """The text without code, mathematics, links and HTML; mathematics becomes @, as for JupyterLab's renderer."""
    text = MATHS.sub("@", without_code(text))
    return re.sub(r"<!--.*?-->|<[^>]+>", "", LINK.sub("]", text))


def difference(english, chinese):
    """What one Counter has and the other has not."""
    lost, new = english - chinese, chinese - english
    return [f"lost {item!r}" for item in lost] + [f"new {item!r}" for item in new]


def same_mathematics(english, chinese):
    r"""Every formula as often as in the English text; only words inside \text{…} may differ."""

    def formulas(text):
        words = re.compile(r"\\text\{(?!model\}|True\}|False\})[^{}]*\}")
        found = MATHS.findall(without_code(text))
        return Counter("".join(words.sub("", formula).split()) for formula in found)

    return difference(formulas(english), formulas(chinese))


IN_CODE = [
    translations.SET_UP,
    ("notebooks/en/", "notebooks/zh/"),
    ("notebooks%2Fen%2F", "notebooks%2Fzh%2F"),
    ("make lab EDITION=zh", "make lab"),
]


def same_code(english, chinese):
    """Code as in the English text, which names the other edition."""
    swap = dict(IN_CODE) | {new: old for old, new in IN_CODE}
    either = re.compile("|".join(map(re.escape, sorted(swap, key=len, reverse=True))))

    def code(text):
        return Counter(FENCED.findall(text)) + Counter(INLINE.findall(FENCED.sub("", text)))

    return difference(code(either.sub(lambda match: swap[match[0]], english)), code(chinese))


OTHER_EDITION = {
    re.compile(r"\.\./zh/"): "../en/",
    re.compile(r"notebooks/en/"): "notebooks/zh/",
    re.compile(r"\.\./README\.md"): "../README.zh.md",
    re.compile(r"^README\.zh\.md"): "README.md",
    re.compile(r"mechanism_lab\.png"): "mechanism_lab.zh.png",
}


def same_links(english, chinese):
    """The same targets, with the language swapped; anchors are words, and tests/test_links.py follows them."""

    def targets(text):
        return [link.partition("#")[0] for link in LINK.findall(FENCED.sub("", text))]

    wanted = targets(english)
    for pattern, other in OTHER_EDITION.items():
        wanted = [pattern.sub(other, link) for link in wanted]
    return difference(Counter(wanted), Counter(targets(chinese)))


def same_numbers(english, chinese):
    """Every number of the English text, and no decimal that it does not have. Chinese writes 0.5 for .5."""

    def numbers(text):
        found = (match[0].replace(",", "").replace("-", "−") for match in NUMBER.finditer(words_only(text)))
        return Counter(re.sub(r"^(−?)0(?=\.)", r"\1", number) for number in found if number.strip("−"))

    ours, theirs = numbers(english), numbers(chinese)
    new = [number for number in theirs - ours if "." in number or "−" in number]
    return [f"lost {n}" for n in ours - theirs] + [f"new {n}" for n in new]


def same_skeleton(english, chinese):
    """Headings, paragraphs, lists, tables, folded parts and the words of the example."""

    def bones(text):
        plain = re.sub(r"<!--.*?-->", "", FENCED.sub("`", text))
        table = [line.split("|") for line in INLINE.sub("`", plain).splitlines() if line.startswith("|")]
        return {
            "headings": re.findall(r"^#+(?= )", plain, re.M),
            "paragraphs": len(re.split(r"\n\s*\n", plain.strip())),
            "items": len(re.findall(r"^ *(?:-|\d+\.) ", plain, re.M)),
            "table": [[bool(cell.strip()) for cell in row] for row in table],
            "folded": re.findall(r"</?(?:details|summary)\b|</summary>\n\n", plain),
            "quotes": len(re.findall(r"^>", plain, re.M)) > 0,
            "percent signs": plain.count("%"),
            "example words": set(re.findall(r"(?<!\*)\*(policy|raises|wages|jobs)\*(?!\*)", plain)),
        }

    ours, theirs = bones(english), bones(chinese)
    return [f"{name}: {ours[name]} and {theirs[name]}" for name in ours if ours[name] != theirs[name]]


def one_line_a_paragraph(english, chinese):
    """A line break between two characters shows as a space."""
    text = re.sub(r"\$\$.+?\$\$", "$$", FENCED.sub("", chinese), flags=re.S)
    lines = text.splitlines()
    starts = re.compile(r"\s*$|[#|<>]| *(?:-|\d+\.) |\$\$|```")
    return [
        b for a, b in zip(lines, lines[1:], strict=False) if a.strip() and not starts.match(b) and prose(a)
    ]


def prose(line):
    return not re.match(r"[#|<]|\$\$", line)


LATIN = "[A-Za-z0-9@`]"
MARKS = FULL.replace("…", "")
UNSET = {
    "no space between Chinese and Latin": f"[{HAN}]{LATIN}|{LATIN}[{HAN}]|%[{HAN}]|[{HAN}][-−](?=\\d)",
    "a space that Chinese does not set": f"[{HAN}] [{HAN}]|[{MARKS}] (?![|·@])|(?<![|·@*]) [{MARKS}]|(?<=\\S)  +(?=\\S)",
    "half-width punctuation": f"[{HAN}{FULL}] ?[,;:?!()\"'](?!\\))|[,;:?!()\"'][{HAN}]|[{HAN}{MARKS}]\\.|[@`],",
    "an English full stop": f"[A-Za-z0-9@`)]\\.(?=$|\\s*\\||[{HAN}])",
    "two marks": "[，。；：、？！][，。；：、]",
    "full-width letters or digits": "[\u3000\u200b\uff10-\uff19\uff21-\uff5a]",
}


def chinese_spacing(english, chinese):
    """A space between Chinese and Latin characters, none at full-width punctuation, no half-width punctuation."""
    faults = []
    for line in words_only(chinese).splitlines():
        bare = re.sub(r"!?\[|\]|\*", "", re.sub(r"^[|#>\s-]+", "", line).replace("`x`", "`"))
        for fault, pattern in UNSET.items():
            for match in re.finditer(pattern, bare):
                faults.append(f"{fault}: …{bare[max(0, match.start() - 12) : match.end() + 12]}…")
    return faults


def emphasis_that_closes(english, chinese):
    """CommonMark's rule: a run of * opens or closes only with the right neighbours; punctuation is a bad one."""

    def mark(character):
        return unicodedata.category(character)[0] in "PS"

    faults = []
    for line in re.sub(
        r"<!--.*?-->", "", LINK.sub("]()", MATHS.sub("@", without_code(chinese)))
    ).splitlines():
        opened = []
        for run in re.finditer(r"(?<!\\)\*+", line):
            before, after = line[: run.start()][-1:] or " ", line[run.end() :][:1] or " "
            space_before, space_after = before.isspace(), after.isspace()
            left = not space_after and (not mark(after) or space_before or mark(before))
            right = not space_before and (not mark(before) or space_after or mark(after))
            if opened and opened[-1] == run[0]:
                faults += [] if right else [line[max(0, run.start() - 15) : run.end() + 6]]
                opened.pop()
            else:
                faults += [] if left else [line[max(0, run.start() - 6) : run.end() + 15]]
                opened.append(run[0])
        faults += [f"left open in {line[:40]}"] if opened else []
    return faults


WRONG = {
    "键值": "a key is 键",
    "得分": "a score is 分数",
    "梯度消失": "the gradient becomes small: 梯度变小",
    "您": "the reader is 你",
    "令牌": "a token is 词元",
    "遮罩": "a mask is 掩码",
    "蒙版": "a mask is 掩码",
    "权值": "a weight is 权重",
    "雅克比": "Jacobi is 雅可比",
    **dict.fromkeys("鍵數這個為與會對權頭詞", "simplified characters"),
}


def right_terms(english, chinese):
    faults = [f"{wrong}: {why}" for wrong, why in WRONG.items() if wrong in chinese]
    if "置换不变" in chinese and "invariant" not in english:
        faults.append("置换不变 says invariant; equivariant is 置换等变")
    return faults


NAMES = {"Softmax", "Binder", "Windows", "uv", "conda", "attention_lab"}  # stand alone as labels


def written_in_chinese(english, chinese):
    """Chinese characters in the text, in each heading, folded line and alternative text; no sentence in English."""
    words = re.sub(r"\*[^*]+\*", "", words_only(chinese).replace("**", ""))
    labels = re.findall(
        r"^#+ (.*)$|<summary>(.*?)</summary>|!\[(.*?)\]", MATHS.sub("", without_code(chinese)), re.M
    )
    labels = [label for label in map("".join, labels) if not re.search(f"[{HAN}`]", label)]
    mute = [label for label in labels if set(re.findall(r"[A-Za-z_]{2,}", label)) - NAMES]
    left = re.findall(r"(?:\b[a-z]+,? ){3,}|\b[A-Z][a-z]+ (?:[a-z]+,? ){2,}[a-z]+[.?!]", words)
    return mute + left + ([] if re.search(f"[{HAN}]", words) else ["no Chinese"])


RULES = [
    same_mathematics,
    same_code,
    same_links,
    same_numbers,
    same_skeleton,
    one_line_a_paragraph,
    chinese_spacing,
    emphasis_that_closes,
    right_terms,
    written_in_chinese,
]
each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)


def named(pairs):
    return pytest.mark.parametrize("pair", pairs, ids=lambda pair: pair[1].name)


# --- the notebooks and pages ---------------------------------------------------------------------------


@named(NOTEBOOKS)
def test_the_notebooks_have_the_same_cells(pair):
    english, chinese = map(read, pair)
    for cell in english:
        if cell["cell_type"] == "code":
            cell["source"] = source(cell).replace(*translations.SET_UP).splitlines(True)

    def shape(cell):
        kind = cell["cell_type"]
        return cell["id"], kind, cell["metadata"].get("tags"), kind == "code" and source(cell)

    assert list(map(shape, english)) == list(map(shape, chinese))
    assert sum(source(cell).count('al.setup("zh")') for cell in chinese) == 1


@named(NOTEBOOKS)
@each_rule
def test_the_prose_keeps_the_rule(pair, rule):
    english, chinese = map(read, pair)
    prose = [cells for cells in zip(english, chinese, strict=True) if cells[0]["cell_type"] == "markdown"]
    found = {cell["id"]: rule(source(cell), source(other)) for cell, other in prose}
    assert {cell: faults for cell, faults in found.items() if faults} == {}


@named(PAGES)
@each_rule
def test_the_page_keeps_the_rule(pair, rule):
    assert rule(*(path.read_text(encoding="utf-8") for path in pair)) == []


PICTURE = re.compile(r"data:image/png;base64,[A-Za-z0-9+/=]+")
DECIMAL = re.compile(r"[-−]?\d*\.\d+")


def shown(cell):
    """What a code cell shows, output by output: its kind, how many pictures, and its decimals (0.5 or .5)."""
    for output in cell["outputs"]:
        data = output.get("data", {})
        pictures = len(PICTURE.findall("".join(data.get("text/html", ""))))
        yield (
            output["output_type"],
            sorted(data),
            pictures,
            Counter(re.sub(r"\b0\.", ".", number) for number in DECIMAL.findall(said(output))),
        )


# What these print is laid out otherwise: the Chinese snippets of the case write small numbers in characters, and
# pandas folds the wider English table in two, which repeats its index.
LAID_OUT_OTHERWISE = {
    ("01_linear_projections", "case-passages"),
    ("02_similarity_scores", "case"),
    ("06_multi_head", "case"),
}


@named(NOTEBOOKS)
def test_the_cells_show_the_same_pictures_and_numbers(pair):
    for english, chinese in zip(*map(read, pair), strict=True):
        measured = "nbval-ignore-output" in english["metadata"].get("tags", ())
        apart = measured or (pair[0].stem, english["id"]) in LAID_OUT_OTHERWISE
        if english["cell_type"] == "code" and not apart:
            assert list(shown(english)) == list(shown(chinese)), english["id"]


@named(NOTEBOOKS)
def test_what_the_cells_show_is_chinese(pair):
    """No line of five words or more is the same in both editions."""
    english, chinese = map(read, pair)
    for cell, other in zip(english, chinese, strict=True):
        for ours, theirs in zip(cell.get("outputs", ()), other.get("outputs", ()), strict=True):
            lines = set(said(ours).splitlines()) & set(said(theirs).splitlines())
            assert not [line for line in lines if re.search(r"(?:\b[A-Za-z]{2,} ){5}", line)], cell["id"]


def test_nothing_is_behind_the_english_edition(capsys):
    code = translations.main(["--check"])
    assert (capsys.readouterr().out, code) == ("", 0)


@named(NOTEBOOKS)
def test_the_first_cell_leads_to_outline_neighbours_other_edition_and_binder(pair):
    place = NOTEBOOKS.index(pair)
    before, after = NOTEBOOKS[max(0, place - 1) : place], NOTEBOOKS[place + 1 : place + 2]
    for here, there, words in ((*pair, "中文版"), (*pair[::-1], "English version")):
        row = next(part for part in source(read(here)[0]).split("\n\n") if "](README.md)" in part)
        neighbours = [english.name for english, _ in (*before, *after)]
        other = f"../{there.parent.name}/{there.name}"
        badge = links.badge(links.repository(ROOT), here.relative_to(ROOT).as_posix())
        assert LINK.findall(row) == ["README.md", *neighbours, other, "../pictures/binder.svg", badge]
        assert f"[{words}]({other})" in row


def test_the_project_pages_lead_to_each_other():
    english, chinese = (path.read_text(encoding="utf-8") for path in PAIRS[0])
    assert "[中文](README.zh.md)" in english and "[English](README.md)" in chinese


# --- every rule sees its fault --------------------------------------------------------------------------

ENGLISH = """## Scores

The score $q \\cdot k$ of *wages* is −.31 (see `al.softmax` and [03](03_scaling.ipynb)).

$$
S = QK^\\top \\qquad \\text{all of them}
$$"""
CHINESE = """## 分数

*wages* 的**分数** $q \\cdot k$ 是 −0.31（见 `al.softmax` 与[第 03 本](03_scaling.ipynb)）。

$$
S = QK^\\top \\qquad \\text{全部分数}
$$"""
SPOILT = {
    same_mathematics: [("QK^", "KQ^"), ("$q \\cdot k$ ", "")],
    same_code: [("al.softmax", "al.max"), ("`al.softmax`", "al.softmax")],
    same_links: [("03_scaling", "04_softmax")],
    same_numbers: [("−0.31", "0.31"), ("0.31", "0.13"), ("是 −0.31", "是")],
    same_skeleton: [("*wages*", "*jobs*"), ("（见", "\n\n（见")],
    one_line_a_paragraph: [("（见", "\n（见")],
    chinese_spacing: [
        ("是 −0.31", "是−0.31"),
        ("。", "."),
        ("是 ", "是  "),
        ("）。", "）。。"),
        ("（见", "(见"),
    ],
    emphasis_that_closes: [("的**分数** ", "的**分数：**词元 ")],
    right_terms: [("分数", "得分"), ("分数", "權重")],
    written_in_chinese: [("的**分数**", "here are a few words的**分数**"), ("## 分数", "## Scores")],
}


@each_rule
def test_every_rule_sees_its_faults_and_passes_what_is_right(rule):
    assert rule(ENGLISH, CHINESE) == []
    for sound, fault in SPOILT[rule]:
        assert sound in CHINESE
        assert rule(ENGLISH, CHINESE.replace(sound, fault)) != [], fault


@pytest.mark.parametrize(
    "text, sound",
    [
        ("**时间**：40 分钟", True),
        ("**时间：**40 分钟", False),
        ("一句话。**第二句。** 第三句。", True),
        ("词**“可以看”**词", False),
        ("行 **$S$** 列", True),
        ("行**$S$**列", False),
        ("*wages* 看 *jobs*，**最多**。", True),
        ("没有**关上", False),
    ],
)
def test_emphasis_follows_commonmark(text, sound):
    assert (emphasis_that_closes("", text) == []) == sound


@pytest.mark.parametrize(
    "text, sound",
    [
        ("共 4 个词元，每个 3 维。", True),
        ("共4个", False),
        ("词元, 维", False),
        ("词元 ，维", False),
        ("词元， 维", False),
        ("用 `x` 与 $y$", True),
        ("用`x` 与 $y$", False),
        ("- **行**：`n` 个", True),
        ("![图的说明](a.png)", True),
    ],
)
def test_spacing(text, sound):
    assert (chinese_spacing("", text) == []) == sound


# --- the tool --------------------------------------------------------------------------------------------


@pytest.fixture
def course(tmp_path):
    """A course of one notebook and one page in two editions, in step."""
    new = nbformat.v4
    cells = [
        new.new_markdown_cell("# One"),
        new.new_code_cell('al.setup("en")'),
        new.new_markdown_cell("Two."),
    ]
    cells += [new.new_code_cell("1 + 1", metadata={"tags": ["optional"]})]
    for cell, name in zip(cells, ("title", "setup", "two", "sum"), strict=True):
        cell.id = name
    (tmp_path / "notebooks" / "en").mkdir(parents=True)
    for path in ("README.md", "README.zh.md"):
        (tmp_path / path).write_text("# Course\n", encoding="utf-8")
    store(new.new_notebook(cells=cells), tmp_path / "notebooks" / "en" / "01.ipynb")
    translations.main([], root=tmp_path)
    chinese = tmp_path / "notebooks" / "zh" / "01.ipynb"
    notebook = nbformat.read(chinese, 4)
    notebook.cells[0].source, notebook.cells[2].source = "# 一", "二。"
    notebook.cells[3].outputs = [new.new_output("stream", text="2")]
    store(notebook, chinese)
    translations.main(["--written", str(chinese)], root=tmp_path)
    translations.main(["--written", str(tmp_path / "README.zh.md")], root=tmp_path)
    assert translations.main(["--check"], root=tmp_path) == 0
    return tmp_path


def both(course, name):
    """The English and the Chinese file of this name."""
    return (course / "notebooks" / language / name for language in ("en", "zh"))


def store(notebook, path):
    path.write_text(nbformat.v4.writes(notebook) + "\n", encoding="utf-8")


def edit(path, **sources):
    notebook = nbformat.read(path, 4)
    for cell in notebook.cells:
        cell.source = sources.get(cell.id, cell.source)
    store(notebook, path)


def test_a_changed_english_cell_is_behind_until_somebody_looked(course, capsys):
    english, chinese = both(course, "01.ipynb")
    edit(english, two="Three.")
    assert translations.main(["--check"], root=course) == 1
    assert "01.ipynb: two: the English text has changed" in capsys.readouterr().out
    translations.main([], root=course)  # carrying code across does not hide it
    assert translations.main(["--check"], root=course) == 1
    translations.main(["--written", str(chinese), "title"], root=course)
    assert translations.main(["--check"], root=course) == 1
    translations.main(["--written", str(chinese), "two"], root=course)
    assert translations.main(["--check"], root=course) == 0


def test_code_is_carried_with_the_language_swapped_and_loses_its_output_when_it_changes(course):
    english, chinese = both(course, "01.ipynb")
    assert nbformat.read(chinese, 4).cells[1].source == 'al.setup("zh")'
    translations.main([], root=course)
    assert nbformat.read(chinese, 4).cells[3].outputs != []
    edit(english, sum="1 + 2")
    translations.main(["--check"], root=course)
    assert nbformat.read(chinese, 4).cells[3].source == "1 + 1"
    translations.main([], root=course)
    carried = nbformat.read(chinese, 4).cells
    assert (carried[3].source, carried[3].outputs, carried[3].metadata.tags) == ("1 + 2", [], ["optional"])
    assert [cell.source for cell in carried if cell.cell_type == "markdown"] == ["# 一", "二。"]


def test_new_cells_come_in_english_and_are_listed_in_their_place(course, capsys):
    english, chinese = both(course, "01.ipynb")
    notebook = nbformat.read(english, 4)
    notebook.cells.insert(1, nbformat.v4.new_markdown_cell("New.", id="new"))
    store(notebook, english)
    translations.main([], root=course)
    assert [cell.id for cell in nbformat.read(chinese, 4).cells] == ["title", "new", "setup", "two", "sum"]
    assert "01.ipynb: new: not written yet" in capsys.readouterr().out


def test_a_changed_page_is_behind(course, capsys):
    (course / "README.md").write_text("# The course\n", encoding="utf-8")
    assert translations.main(["--check"], root=course) == 1
    assert "README.zh.md: the page: the English text has changed" in capsys.readouterr().out
    translations.main(["--written", str(course / "README.zh.md")], root=course)
    assert translations.main(["--check"], root=course) == 0
    assert (course / "README.zh.md").read_text(encoding="utf-8").startswith("# Course\n\n<!-- written_from ")


@pytest.mark.parametrize("wrong", [["README.md"], ["notebooks/zh/01.ipynb", "three"]])
def test_what_is_no_chinese_page_or_cell_is_refused(course, wrong):
    with pytest.raises(SystemExit):
        translations.main(["--written", str(course / wrong[0]), *wrong[1:]], root=course)


def test_a_cell_with_a_new_id_keeps_its_chinese_prose(course):
    english, chinese = both(course, "01.ipynb")
    notebook = nbformat.read(english, 4)
    notebook.cells[2].id = "second"
    store(notebook, english)
    translations.main([], root=course)
    assert [(c.id, c.source) for c in nbformat.read(chinese, 4).cells][2] == ("second", "二。")
    assert translations.main(["--check"], root=course) == 0


@pytest.mark.parametrize("kind", ["removed", "code"])
def test_chinese_prose_does_not_go_without_a_word(course, capsys, kind):
    english = course / "notebooks" / "en" / "01.ipynb"
    notebook = nbformat.read(english, 4)
    cell = notebook.cells.pop(2)
    if kind == "code":
        notebook.cells.insert(2, nbformat.v4.new_code_cell("2", id=cell.id))
    store(notebook, english)
    assert translations.main(["--check"], root=course) == 1
    assert "01.ipynb: two (gone): no English cell has this prose any more:\n二。" in capsys.readouterr().out


def test_a_tag_that_goes_follows(course):
    english, chinese = both(course, "01.ipynb")
    notebook = nbformat.read(english, 4)
    del notebook.cells[3].metadata["tags"]
    store(notebook, english)
    assert translations.main(["--check"], root=course) == 1
    translations.main([], root=course)
    assert "tags" not in nbformat.read(chinese, 4).cells[3].metadata


def test_a_new_page_comes_in_english_and_an_orphan_is_listed(course, capsys):
    new, chinese = both(course, "words.md")
    new.write_text("# Words\n", encoding="utf-8")
    translations.main(["--written", str(chinese)], root=course)
    assert chinese.read_text(encoding="utf-8") == "# Words\n"
    assert "words.md: the page: not written yet" in capsys.readouterr().out
    new.unlink()
    assert translations.main(["--check"], root=course) == 1
    assert "words.md: there is no English page of this name" in capsys.readouterr().out


def test_english_cells_are_not_taken_for_written(course, capsys):
    english, chinese = both(course, "01.ipynb")
    notebook = nbformat.read(english, 4)
    notebook.cells.append(nbformat.v4.new_markdown_cell("New.", id="new"))
    store(notebook, english)
    translations.main(["--written", str(chinese)], root=course)
    assert "01.ipynb: new: not written yet" in capsys.readouterr().out


@pytest.mark.parametrize("end", ["", "\n\n", " \n", "\n一句。\n"])
def test_a_page_has_one_memory_whatever_its_end(end):
    page = translations.page_written("# A\n", "# 甲\n").rstrip("\n") + end
    assert translations.page_behind("# A\n", page) is None
    assert translations.page_written("# A\n", page).count("written_from") == 1
