#include <pthread.h>

#ifdef __cplusplus
extern "C" {
#endif
extern pthread_mutex_t lock;
extern int counter;
void take(void);
#ifdef __cplusplus
}
#endif
