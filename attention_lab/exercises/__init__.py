"""The exercises: check.<exercise>(answer) judges a learner's function, check.progress() shows how far they are.

Add an exercise, or a known mistake, in the file of its notebook, and its words in the wording section "check":
`mistake.NAME` and `mistake.NAME.hint`, or `EXERCISE.NAME` where one exercise needs words of its own.
"""

from ..predictions import _folded
from . import heads, masking, normalisation, projections, scaling, similarity

_NOTEBOOKS = (projections, similarity, scaling, normalisation, masking, heads)
_EXERCISES = {exercise.name: exercise for notebook in _NOTEBOOKS for exercise in notebook.EXERCISES}


class Progress(str):
    """Lines of text, shown as they are."""

    def __repr__(self):
        return str(self)


class Check:
    """One attribute for each exercise: al.check.softmax(softmax) gives a Verdict. dir(al.check) lists them."""

    def __getattr__(self, name):
        if name not in _EXERCISES:
            raise AttributeError(f"there is no exercise {name!r}; the exercises are {', '.join(_EXERCISES)}")
        return _EXERCISES[name]

    def __dir__(self):
        return [*_EXERCISES, "progress"]

    def __repr__(self):
        return repr(self.progress())

    def progress(self):
        """Every exercise with its latest verdict of this session: not attempted, right, or the mistake."""
        return Progress(
            "\n".join(
                _folded(f"{number:02}  {exercise.name:<30}{exercise.status()}")
                for number, notebook in enumerate(_NOTEBOOKS, start=1)
                for exercise in notebook.EXERCISES
            )
        )


check = Check()
