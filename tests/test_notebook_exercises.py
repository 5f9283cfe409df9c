"""The exercises as the notebooks publish them: starters run and wait, solutions pass, each stands in its notebook."""

import inspect
import re
from pathlib import Path

import numpy as np
import pytest
from stored import read, source

import attention_lab as al
from attention_lab import exercises, wording

NOTEBOOKS = sorted((Path(__file__).resolve().parents[1] / "notebooks").glob("*/[0-9]*.ipynb"))
HEADING = {"en": "## Exercises", "zh": "## 练习"}
CHECK = re.compile(r"^al\.check\.(?!progress)(\w+)\((\w+)\)$", re.M)
# Without the blank lines a Markdown renderer shows what is inside as raw text.
FOLDED = re.compile(r"^<details><summary>([^\n]+)</summary>\n\n(.+?)\n\n</details>$", re.M | re.S)
CODE = re.compile(r"^```python\n(.+?)^```$", re.M | re.S)


class Section:
    """The exercises of one notebook: its cells before them, and from their heading to the next one."""

    def __init__(self, path):
        self.edition, self.name = path.parent.name, f"{path.parent.name}/{path.stem}"
        self.wanted = [exercise.name for exercise in exercises._NOTEBOOKS[int(path.stem[:2]) - 1].EXERCISES]
        cells = read(path)
        headings = [
            (number, line)
            for number, cell in enumerate(cells)
            if cell["cell_type"] == "markdown"
            for line in re.findall(r"^## .+$", source(cell), re.M)
        ]
        starts = [number for number, line in headings if line == HEADING[self.edition]]
        self.headings = [line for _, line in headings]
        self.start = starts[0] if starts else len(cells)
        end = next((number for number, _ in headings if number > self.start), len(cells))
        self.before, self.cells, self.after = cells[: self.start], cells[self.start : end], cells[end:]

    def __iter__(self):
        """(name, prose, starter) for each exercise; the starter is its code cell."""
        for prose, cell in zip(self.cells, self.cells[1:], strict=False):
            if cell["cell_type"] == "code" and (check := CHECK.search(source(cell))):
                yield check[1], source(prose), cell


SECTIONS = [Section(path) for path in NOTEBOOKS]
PUBLISHED = [section for section in SECTIONS if section.cells]
every_section = pytest.mark.parametrize("section", PUBLISHED, ids=lambda section: section.name)
every_exercise = pytest.mark.parametrize(
    "section, name, prose, cell",
    [(section, *exercise) for section in PUBLISHED for exercise in section],
    ids=[f"{section.name}-{name}" for section in PUBLISHED for name, *_ in section],
)


def defined(name, code):
    """The function `name` that `code` defines, in a session that has run the imports."""
    session = {"np": np, "al": al}
    exec(code, session)
    return session[name]


@pytest.mark.parametrize("edition", sorted({section.edition for section in SECTIONS}))
def test_every_exercise_appears_once_in_its_edition(edition):
    ours = [section for section in SECTIONS if section.edition == edition]
    found = [name for section in ours for name, *_ in section]
    assert len(found) == len(set(found))
    assert found == list(exercises._EXERCISES)


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.name)
def test_checks_stand_only_among_the_exercises(section):
    outside = [source(cell) for cell in section.before + section.after if cell["cell_type"] == "code"]
    assert [code for code in outside if CHECK.search(code)] == []


@every_section
def test_a_section_has_the_exercises_of_its_notebook_between_case_and_summary(section):
    assert section.headings.count(HEADING[section.edition]) == 1
    assert [name for name, *_ in section] == section.wanted
    place = section.headings.index(HEADING[section.edition])
    assert not any(line.startswith(("## Case", "## 案例")) for line in section.headings[place:])
    assert section.headings[-1] in ("## Summary", "## 小结")


@every_section
def test_concept_questions_close_the_section_with_their_answers_folded(section):
    last = max(n for n, cell in enumerate(section.cells) if CHECK.search(source(cell)))
    questions = "\n\n".join(source(c) for c in section.cells[last + 1 :] if c["cell_type"] == "markdown")
    assert questions.count("<details") == len(FOLDED.findall(questions)) in (2, 3)


@every_exercise
def test_two_hints_and_a_solution_are_folded_and_only_the_solution_has_code(section, name, prose, cell):
    folded = FOLDED.findall(prose)
    assert prose.count("<details") == len(folded) == 3
    assert len({summary for summary, _ in folded}) == 3
    assert [len(CODE.findall(body)) for _, body in folded] == [0, 0, 1] and len(CODE.findall(prose)) == 1


@every_exercise
def test_the_starter_runs_and_is_stored_as_not_attempted(section, name, prose, cell):
    *code, check = source(cell).splitlines()
    assert check == f"al.check.{name}({name})"
    wording.use(section.edition)
    starter = defined(name, "\n".join(code))
    verdict = getattr(al.check, name)(starter)
    assert (verdict.attempted, verdict.passed) == (False, False)
    assert [out["data"] for out in cell["outputs"]] == [{"text/plain": repr(verdict).splitlines(True)}]
    assert tuple(inspect.signature(starter).parameters) == exercises._EXERCISES[name].arguments


@every_exercise
def test_the_solution_passes_and_takes_what_the_starter_takes(section, name, prose, cell):
    (code,) = CODE.findall(prose)
    solution = defined(name, code)
    assert getattr(al.check, name)(solution).passed
    assert tuple(inspect.signature(solution).parameters) == exercises._EXERCISES[name].arguments


@every_exercise
def test_the_derivation_does_not_define_the_function(section, name, prose, cell):
    assert not any(re.search(rf"def {name}\(", source(before)) for before in section.before)
