"""Defaults of parameters with choices, such as ``kernel : {'linear', 'gaussian'}, default="gaussian"``: the reader of
docstrings takes the first choice for the default, so they are written to it in words."""

import re

import griffe

CHOICES = re.compile(r"^( *\w+ : )\{([^}\n]*)\}(.*, default=.*)$", flags=re.MULTILINE)


class Choices(griffe.Extension):
    def on_object(self, *, obj, **_):
        if obj.docstring is not None:
            obj.docstring.value = CHOICES.sub(r"\1one of \2\3", obj.docstring.value)
