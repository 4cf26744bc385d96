// What kernels of the tests are written with: OpenCL C without its library.
#define GLOBAL_ID                                                                                  \
  (__builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() +                       \
   __builtin_amdgcn_workitem_id_x())
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;
