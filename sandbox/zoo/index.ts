export { openZoo, seedZoo, type ZooTools, zooRouter } from './seedZoo.ts';
export { zooTokens } from './zooTokens.ts';
export type * from './zooTypes.ts';
