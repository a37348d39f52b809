export { createVendors, type Vendors } from './createVendors.ts';
export { createLogRpc, type LogRpc } from './logs/logRpc.ts';
export type { LogSearchEnd, LogSearchState } from './logs/logSearch.ts';
export { createPoolIndexer, type PoolIndexer } from './pools/poolIndexer.ts';
export { poolText, readBlockHash, readChainId, readPoolsOf } from './pools/readFromNode.ts';
export { VendorUnavailableError } from './ports.ts';
export type { VendorFaultNotice } from './transport/vendorClient.ts';
export { defaultLogIndexLimits, defaultPoolIndexLimits, type VendorConfig } from './vendorConfig.ts';
