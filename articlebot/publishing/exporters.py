"""Scrapy's exporters of CSV and XML, for values that lie deeper than a column or an element can say.

``FEED_EXPORTERS`` of the project names them. The other formats need nothing of their own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from scrapy.exporters import CsvItemExporter, XmlItemExporter

from articlebot.text import NOT_XML


class Csv(CsvItemExporter):
    """Nested values are written as JSON, not as Python would print them; lists of texts joined by commas as ever."""

    def serialize_field(self, field: Any, name: str, value: Any) -> Any:
        """The value of a column."""
        plain = super().serialize_field(field, name, value)
        return json.dumps(plain, ensure_ascii=False) if isinstance(plain, dict | list | tuple) else plain


class Xml(XmlItemExporter):
    """What is None is an empty element; names that are none in XML, such as a class of two words, stand as text."""

    def _export_xml_field(self, name: str, serialized_value: Any, depth: int) -> None:
        value = "" if serialized_value is None else serialized_value
        if isinstance(value, Mapping) and not all(str(key).isidentifier() for key in value):
            value = [{"name": key, "value": one} for key, one in value.items()]
        if isinstance(value, str):
            value = NOT_XML.sub("\ufffd", value)
        super()._export_xml_field(name, value, depth)
