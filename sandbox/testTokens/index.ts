export { deployTestTokens } from './deployTestTokens.ts';
