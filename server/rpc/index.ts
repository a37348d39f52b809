export { createHttpRpcEndpoint } from './httpRpcEndpoint.ts';
