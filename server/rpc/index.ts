export { type RpcEndpoint, RpcTransportError } from '../../engine/index.ts';
export { createHttpRpcEndpoint } from './httpRpcEndpoint.ts';
export { readBounded } from './readBounded.ts';
