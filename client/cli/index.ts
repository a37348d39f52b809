export { tame } from './tame.ts';
