// The published package contains this type in full (tools/release/writeAppRouter.ts), because it excludes the router.
export type { AppRouter } from '../../router/index.ts';
