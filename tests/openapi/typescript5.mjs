import { register } from 'node:module';

// openapi-typescript uses the compiler API, which TypeScript 7 does not have.
const resolve = '(name, context, next) => next(name === "typescript" ? "typescript-5" : name, context)';
register(`data:text/javascript,export const resolve = ${encodeURIComponent(resolve)}`);
