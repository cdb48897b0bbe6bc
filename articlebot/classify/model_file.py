"""Model files: numpy arrays in a zip with a JSON header; data only, nothing in them is executed."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from articlebot import files
from articlebot.classify import features
from articlebot.classify.features import Floats
from articlebot.classify.linear import Calibration, LinearModel
from articlebot.errors import StateError

FORMAT = "articlebot-classifier"
# What zip and numpy raise for damaged files; RuntimeError is for flags that nobody sets.
_DAMAGE = (
    OSError, ValueError, KeyError, IndexError, TypeError, AttributeError, EOFError, RuntimeError, MemoryError,
    OverflowError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip
VERSION = 1
_MAX_BYTES = 2_000_000_000
_STATED = ("labels", "several", "threshold", "trained_on", "facts")
_ARRAYS = ("header", "vocabulary", "rarity", "weights", "scale", "bias")


def save(model: LinearModel, path: Path) -> int:
    """Writes a model, whole or not at all; returns its size in bytes.

    Weights take a byte each: a class's weights are divided by their greatest, and the square root is rounded, so that
    the many small ones keep their differences.
    """
    scale = np.maximum(np.abs(model.weights).max(axis=0, initial=0.0), 1e-9).astype(np.float32)
    packed = np.rint(np.sign(model.weights) * np.sqrt(np.abs(model.weights) / scale) * 127).astype(np.int8)
    header = {
        "format": FORMAT, "version": VERSION, "features": features.VERSION, "calibration": asdict(model.calibration),
        **{name: getattr(model, name) for name in _STATED},
    }  # fmt: skip
    data = io.BytesIO()
    np.savez_compressed(
        data, header=np.frombuffer(json.dumps(header, ensure_ascii=False).encode(), np.uint8),
        vocabulary=np.diff(model.vocabulary, prepend=0).astype(np.uint32), rarity=model.rarity.astype(np.float16),
        weights=packed, scale=scale, bias=model.bias.astype(np.float32),
    )  # fmt: skip
    files.replace(path, data.getvalue(), flush=True)
    return data.tell()


def read(path: Path) -> LinearModel:
    """The model in a file.

    Raises:
        StateError: no such file, damaged, or written by another version; says how to train it again.
    """
    again = f"train it again: scrapy classify train DATA.jsonl --out {path}"
    try:
        with zipfile.ZipFile(path) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > _MAX_BYTES:
                raise StateError(f"{path}: too large for a model; {again}")
        with np.load(path, allow_pickle=False) as arrays:
            header = json.loads(arrays["header"].tobytes().decode()) if "header" in arrays else None
            return _model(_checked(header, path, again), {name: arrays[name] for name in _ARRAYS})
    except FileNotFoundError:
        raise StateError(f"{path}: no such model; {again}") from None
    except _DAMAGE as error:
        raise StateError(f"{path}: not a model, or damaged ({error}); {again}") from None


def _checked(header: Any, path: Path, again: str) -> dict[str, Any]:
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise StateError(f"{path}: not an articlebot model; {again}")
    found, wanted = (header.get("version"), header.get("features")), (VERSION, features.VERSION)
    if found != wanted:
        raise StateError(
            f"{path}: model version {found[0]} with features {found[1]}, this articlebot reads {wanted[0]} with "
            f"{wanted[1]}; {again}"
        )
    return header


def _model(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> LinearModel:
    labels = tuple(str(label) for label in header["labels"])
    vocabulary = np.cumsum(arrays["vocabulary"].astype(np.int64))
    weights = _unpack(arrays["weights"], arrays["scale"])
    if weights.shape != (len(vocabulary), len(labels)) or arrays["bias"].shape != (len(labels),):
        raise ValueError("arrays of the wrong shape")
    if arrays["rarity"].shape != vocabulary.shape or (len(vocabulary) and int(vocabulary.max()) >= features.SPACE):
        raise ValueError("vocabulary out of range")
    kept = header["calibration"]
    margin, label = ((float(curve[0]), float(curve[1])) for curve in (kept["margin"], kept["label"]))
    calibration = Calibration(margin=margin, label=label, temperature=float(kept["temperature"]))
    return LinearModel(
        labels, bool(header["several"]), vocabulary, arrays["rarity"].astype(np.float32), weights,
        arrays["bias"].astype(np.float32), calibration,
        float(header["threshold"]), int(header["trained_on"]), dict(header["facts"]),
    )  # fmt: skip


def _unpack(packed: NDArray[Any], scale: NDArray[Any]) -> Floats:
    root = packed.astype(np.float32) / 127.0
    return np.asarray(np.sign(root) * root * root * scale, dtype=np.float32)
