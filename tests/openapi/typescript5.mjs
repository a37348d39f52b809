import { register } from 'node:module';

// openapi-typescript prints types through the compiler API, which TypeScript 7 does not have yet.
const resolve = '(name, context, next) => next(name === "typescript" ? "typescript-5" : name, context)';
register(`data:text/javascript,export const resolve = ${encodeURIComponent(resolve)}`);
