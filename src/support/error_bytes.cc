#include "support/error_bytes.h"

namespace tl {

Bytes encodeError(const Error &error) {
  ByteWriter w;
  w.svarint(error.status);
  w.string(error.message);
  w.svarint(error.native);
  w.varint(error.diagnostics.size());
  for (const Diagnostic &d : error.diagnostics) {
    w.svarint(int32_t(d.severity));
    w.string(d.pass);
    w.varint(d.value);
    w.string(d.location.file);
    w.varint(d.location.line);
    w.varint(d.location.column);
    w.string(d.text);
    w.string(d.excerpt);
  }
  return std::move(w.out);
}

ErrorPtr decodeError(std::span<const uint8_t> bytes) {
  ByteReader r(bytes);
  auto error = std::make_unique<Error>();
  error->status = tl_status(r.svarint());
  error->message = r.string();
  error->native = r.svarint();
  size_t count = r.count(8);
  for (size_t i = 0; i < count && r.ok(); ++i) {
    Diagnostic d;
    d.severity = Severity(r.svarint());
    d.pass = r.string();
    d.value = uint32_t(r.varint());
    d.location.file = r.string();
    d.location.line = uint32_t(r.varint());
    d.location.column = uint32_t(r.varint());
    d.text = r.string();
    d.excerpt = r.string();
    error->diagnostics.push_back(std::move(d));
  }
  if (!r.ok() || error->status >= 0)
    return makeError(TL_E_CORRUPT, "the compiler library returned an unreadable error");
  return error;
}

} // namespace tl
