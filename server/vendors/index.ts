export { createVendors, type Vendors } from './createVendors.ts';
export type { VendorFaultNotice } from './transport/vendorClient.ts';
export { defaultLogIndexLimits, defaultVendorConfig, type LogIndexLimits, type VendorConfig } from './vendorConfig.ts';
