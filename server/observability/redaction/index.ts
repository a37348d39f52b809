export { createRedactor } from './createRedactor.ts';
export { secretsOfUrl } from './secretsOfUrl.ts';
