export { sanitize } from './sanitize.ts';
