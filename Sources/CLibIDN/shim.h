#include <idn2.h>
#include <unicase.h>
#include <uninorm.h>
#include <stdlib.h>
