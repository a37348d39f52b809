export { keccak256 } from '../../engine/index.ts';
