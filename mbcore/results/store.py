"""A file that results larger than memory are written to, portion by portion.

It is a netCDF file of the classic format with 64-bit offsets, which SciPy, netCDF and MATLAB read:
a header, and behind it a record for each instance or time with its values of all variables. Bytes
4 to 8 of the header say how many there are. xarray and SciPy write the header and read the file.
https://docs.unidata.ucar.edu/netcdf-c/current/file_format_specifications.html
"""

from __future__ import annotations

import io
import shutil
import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mbcore.host.files import file_path, writing
from mbcore.model.errors import ModelError
from mbcore.model.variables import Array

if TYPE_CHECKING:
    import xarray

SUFFIX = ".nc"
LONGEST = 500
"""Largest number of characters of a text."""
AT_ONCE = 1 << 22
"""Bytes that are read at once."""
_COUNT = 4
"""Place of the number of records in the header, and its length: the first byte is the highest."""


class Store:
    """A netCDF file that grows along one dimension; after each portion it is complete.

    Used in a ``with`` block, which closes it.

    Parameters
    ----------
    owner : str
        Who writes.
    path : str or path
        The file, which is made.
    portion : xarray.Dataset
        Any portion: its variables, of numbers or texts, and values along other dimensions.
    along : str
        Name of the dimension along which it grows.

    Raises
    ------
    ModelError
        If the name has another suffix, or there is such a file or no such folder; if the file
        cannot be written, or cannot hold the name of a variable.
    """

    def __init__(self, owner: str, path: str | Path, portion: xarray.Dataset, along: str) -> None:
        self._owner, self._path, self._along = owner, _checked(owner, path), along
        self._coordinates = list(portion.coords)
        first = _file_of_one(owner, portion, along)
        self._record = _record(first)
        header = bytearray(first[: -self._record.itemsize])
        header[_COUNT : _COUNT + 4] = bytes(4)
        self.count = 0
        with writing(owner, self._path):
            self._file = self._path.open("xb", buffering=0)
        self._end = 0
        try:
            self._write(header, 0)
        except ModelError:
            self._remove()
            raise
        self._end = self._begin = len(header)

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def refuse_beyond_disk(self, count: int, remedy: str) -> None:
        """Refuse more records than there is room for, and take the file away.

        Raises
        ------
        ModelError
            With the sizes.
        """
        size, free = count * self._record.itemsize, shutil.disk_usage(self._path.parent).free
        if size > free:
            self._remove()
            raise ModelError(
                f"{self._owner}: {self._path} would take {size / 2**30:.3g} GiB, and "
                f"{free / 2**30:.3g} GiB are free there; {remedy}, or give another place"
            )

    def append(self, portion: xarray.Dataset) -> None:
        """Write a portion behind the others.

        Raises
        ------
        ModelError
            If it cannot be written, for want of room for example; the file keeps those before it.
        """
        records = np.zeros(portion.sizes[self._along], self._record)
        for name, field in (self._record.fields or {}).items():
            values = portion[name].values
            records[name] = values if field[0].kind != "S" else _bytes(values)
        count = self.count + len(records)
        try:
            self._write(records.view(np.uint8).data, self._end)
            self._write(count.to_bytes(4, "big"), _COUNT)
        except ModelError as error:
            raise ModelError(f"{error}; it holds the first {self.count} of them") from error
        self.count = count
        self._end += records.nbytes

    def dataset(self) -> xarray.Dataset:
        """Return all portions, whose values are read from the file where they are asked for."""
        import xarray  # slow to import, so it is imported only on demand

        found = xarray.open_dataset(self._path, engine="scipy", decode_times=False, cache=False)
        return found.set_coords(self._coordinates)

    def column(self, variable: str, element: int = 0) -> np.ndarray:
        """Return the numbers of a variable, or of an element of an array, in the file's order.

        Raises
        ------
        ModelError
            If the file is there no more.
        """
        if not self._path.is_file():
            raise ModelError(
                f"{self._owner}: {self._path}, which holds the rows, is missing; move it back, or "
                "simulate again"
            )
        found, many = np.empty(self.count), max(1, AT_ONCE // self._record.itemsize)
        with self._path.open("rb") as file:
            file.seek(self._begin)
            for first in range(0, self.count, many):
                count = min(many, self.count - first)
                values = np.fromfile(file, self._record, count)[variable]
                found[first : first + count] = values.reshape(count, -1)[:, element]
        return found

    def _write(self, content: bytes | bytearray | memoryview, place: int) -> None:
        """Write all of some bytes, or leave what is there as it is."""
        left = memoryview(content)
        try:
            with writing(self._owner, self._path):
                self._file.seek(place)
                while left:
                    left = left[self._file.write(left) :]
        except BaseException:  # also on an interrupt
            if place >= self._end:
                self._file.truncate(self._end)
            raise

    def _remove(self) -> None:
        self._file.close()
        self._path.unlink()


class StoredColumns(Mapping[str, np.ndarray]):
    """Columns of results by name, each read from the file when it is asked for.

    Parameters
    ----------
    store : Store
        The file.
    order : iterable of str
        Names of the columns.
    arrays : mapping of str to tuple of int
        Shapes of the arrays whose elements are columns.
    """

    def __init__(
        self, store: Store, order: Iterable[str], arrays: Mapping[str, tuple[int, ...]]
    ) -> None:
        self._store = store
        wholes = {
            one: (name, number)
            for name, shape in arrays.items()
            for number, one in enumerate(Array(name, shape, "").elements)
        }
        self._places = {name: wholes.get(name, (name, 0)) for name in order}

    def __getitem__(self, name: str) -> np.ndarray:
        return self._store.column(*self._places[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, name: object) -> bool:
        return name in self._places


def _checked(owner: str, path: str | Path) -> Path:
    target = file_path(owner, path, f"results{SUFFIX}").absolute()
    if target.suffix != SUFFIX:
        raise ModelError(
            f"{owner}: store = {str(path)!r}; give the name of a file that ends in {SUFFIX}"
        )
    if target.exists():
        what = "a folder" if target.is_dir() else "a file"
        raise ModelError(
            f"{owner}: {target} is {what} that is there already; give another name, or delete it"
        )
    if not target.parent.is_dir():
        raise ModelError(
            f"{owner}: store = {str(path)!r}: there is no folder {target.parent}; make it, or give "
            "another place"
        )
    return target


def _file_of_one(owner: str, portion: xarray.Dataset, along: str) -> bytes:
    """Return a file with the first record of a portion.

    Raises
    ------
    ModelError
        If it cannot hold the name of a variable.
    """
    import xarray

    if strange := [str(name) for name in portion.variables if not str(name).isascii()]:
        raise ModelError(
            f"{owner}: names in files of results have only ASCII characters, not "
            f"{', '.join(strange)}; rename them in the model"
        )
    first = portion.isel({along: slice(0, 1)})
    for name, variable in first.variables.items():
        attributes = dict(variable.attrs)
        values = variable.values
        if values.dtype == object:
            values, attributes = np.zeros(1, f"S{LONGEST}"), attributes | {"_Encoding": "utf-8"}
        elif values.dtype.kind == "i":
            values = values.astype(np.int32)  # there are no longer ones
        # no number stands for missing ones: bits of NaN stay
        first[name] = xarray.Variable(
            variable.dims, values, attributes, {"_FillValue": None} if values.dtype == float else {}
        )
    with warnings.catch_warnings():
        # names with a blank are not coordinates for who opens the file elsewhere
        warnings.simplefilter("ignore", xarray.SerializationWarning)
        written = first.to_netcdf(engine="scipy", format="NETCDF3_64BIT", unlimited_dims=[along])
    return bytes(written)


def _record(file_of_one: bytes) -> np.dtype:
    """Return the layout of a record: variables in their order, each of a multiple of four bytes."""
    from scipy.io import netcdf_file  # with SciPy's sparse matrices

    kinds = {"d": ">f8", "i": ">i4"}
    with netcdf_file(io.BytesIO(file_of_one), mmap=False) as file:
        fields: list[tuple[str, str, tuple[int, ...]]] = [
            (name, f"S{v.shape[1]}", ())
            if v.typecode() == "c"
            else (name, kinds[v.typecode()], v.shape[1:])
            for name, v in file.variables.items()
            if v.isrec
        ]
    return np.dtype(fields)


def _bytes(texts: np.ndarray) -> list[bytes]:
    """Return texts in UTF-8, cut to the longest that a record holds."""
    return [text.encode()[:LONGEST].decode(errors="ignore").encode() for text in texts]
