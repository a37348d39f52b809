export { swaggerPage } from './swaggerPage.ts';
