// The published package carries this type written out (scripts/pack/writeAppRouter.ts), without the router's source.
export type { AppRouter } from '../../router/index.ts';
