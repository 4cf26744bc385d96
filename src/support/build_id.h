// Which build this is: the version and a hash over all sources, "0.1.0+0123456789abcdef". Both
// libraries carry one and refuse a partner with another; caches make it part of their keys.
#pragma once

namespace tl {

const char *buildId();

} // namespace tl
