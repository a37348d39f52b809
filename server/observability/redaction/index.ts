export { createVeil } from './createVeil.ts';
export { secretsOfUrl } from './secretsOfUrl.ts';
