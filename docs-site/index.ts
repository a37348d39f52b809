export type { SiteFile } from './build/buildAssets.ts';
export { createSite, type Site } from './createSite.ts';
export type { SiteFacts, SiteItem } from './siteFacts.ts';
