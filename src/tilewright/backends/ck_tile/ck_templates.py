"""The CK templates that generated code names: where each is declared, and its parameters in every supported revision.

`ck_templates.json` has them by name: the header below `ck_tile/`; the parameters that generated code can give a value
to; whether headers without the template are supported all the same (only kernels that need it cannot be generated); and
for each revision what `ck_revision.parse_template` reads from its headers, where a question mark marks a parameter that
has a default. A test parses the installed headers and compares.
"""

from __future__ import annotations

from pathlib import Path

from ...model.json_text import read_json

_LISTED = read_json(Path(__file__).with_suffix(".json"))
TEMPLATES = {name: one["header"] for name, one in _LISTED.items()}
KNOWN_PARAMETERS = {name: tuple(one["known"].split()) for name, one in _LISTED.items()}
OPTIONAL = [name for name, one in _LISTED.items() if one.get("optional")]
REVISIONS: dict[str, dict[str, str]] = {}  # revision -> template -> parameter names in order
for _name, _one in _LISTED.items():
    for _revision, _parameters in _one["revisions"].items():
        REVISIONS.setdefault(_revision, {})[_name] = _parameters
