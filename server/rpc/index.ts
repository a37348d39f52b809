export { type RpcEndpoint, RpcTransportError } from '../../engine/index.ts';
export { createPaces, type Paces } from './createPaces.ts';
export { createHttpRpcEndpoint } from './httpRpcEndpoint.ts';
export { type KeptConnections, keepConnections, notingUse } from './keepConnections.ts';
export { readBounded } from './readBounded.ts';
