export { createVendors, type Vendors } from './createVendors.ts';
export { createPoolIndexer, type PoolIndexer } from './pools/poolIndexer.ts';
export type { VendorFaultNotice } from './transport/vendorClient.ts';
export { defaultLogIndexLimits, defaultPoolIndexLimits, type VendorConfig } from './vendorConfig.ts';
