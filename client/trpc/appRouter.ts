// The published package carries this type written out (tools/release/writeAppRouter.ts), without the router's source.
export type { AppRouter } from '../../router/index.ts';
