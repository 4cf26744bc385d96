// What a process may do while its kernels run: end, fork, and wait or end inside a function of a stream. The word given
// says which; test_program.py knows what must come of it.
#define HIP_API_OWN_DIM3
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
#include "hip_api.h"

extern "C" {
int printf(const char *format, ...);
int fork();
int waitpid(int child, int *status, int options);
void _exit(int status);
void exit(int status);
unsigned sleep(unsigned seconds);
}

__attribute__((global)) void endless(unsigned volatile *x) {
  while (*x != 1)
    __builtin_amdgcn_s_sleep(1);
}

static hipStream_t stream;
static int inside;
static void waits(void *) { inside = hipStreamSynchronize(stream); }
static void leaves(void *) { exit(7); }

int main(int count, char **words) {
  const char what = count > 1 ? words[1][0] : ' ';
  unsigned *memory = nullptr;
  if (hipMalloc((void **)&memory, 4096) || hipStreamCreate(&stream) || hipMemset(memory, 0, 4096))
    return 1;
  if (what == 'e') { // end while a kernel runs
    endless<<<1, 64, 0, stream>>>(memory);
  } else if (what == 'f') { // fork: the child has no device any more
    int child = fork(), status = 0;
    if (child == 0) {
      int code = hipMemset(memory, 0, 4096);
      _exit(code ? code : hipDeviceSynchronize());
    }
    waitpid(child, &status, 0);
    printf("child %d, parent %d\n", status >> 8, hipDeviceSynchronize());
  } else if (what == 'l') { // leave the process inside a stream's function
    if (!hipLaunchHostFunc(stream, leaves, nullptr))
      sleep(60);
  } else { // wait inside a function of the stream that is waited for
    int code = hipLaunchHostFunc(stream, waits, nullptr);
    if (!code)
      code = hipStreamSynchronize(stream);
    printf("inside %d, outside %d\n", inside, code);
  }
  return 0;
}
