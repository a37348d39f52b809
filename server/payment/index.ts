export type * from './cashierConfig.ts';
export type * from './cashierTypes.ts';
export { createCashier } from './createCashier.ts';
export { authorizationDigest, domainSeparator, recoverSigner } from './evm/authorization.ts';
export { openNative, openWasm, type RecoverKey } from './evm/secp256k1.ts';
export { LedgerOrderError } from './ledger/ledgerOrderError.ts';
export type * from './ledger/ledgerTypes.ts';
export { PaymentNetworkMismatchError } from './networkMismatch.ts';
export { CdpKeyError, createCdpSigner } from './remote/cdpToken.ts';
