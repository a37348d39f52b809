export { createVendors, type Vendors } from './createVendors.ts';
export type { VendorFaultNotice } from './transport/vendorClient.ts';
export { defaultLogIndexLimits, defaultPoolIndexLimits, type VendorConfig } from './vendorConfig.ts';
