export { createSite, type Site } from './createSite.ts';
export type { SiteFacts, SiteItem } from './siteFacts.ts';
export { swaggerPage } from './swaggerPage.ts';
