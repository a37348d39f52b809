export { createSite, type Site } from './createSite.ts';
export type { SiteItem } from './siteFacts.ts';
export { swaggerPage } from './swaggerPage.ts';
