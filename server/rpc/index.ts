export { createHttpRpcEndpoint } from './httpRpcEndpoint.ts';
export { readBounded } from './readBounded.ts';
