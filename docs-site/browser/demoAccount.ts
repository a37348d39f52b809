// Loaded only when the sandbox's demo wallet pays: signing with a key would be most of a page's code.
export { privateKeyToAccount } from 'viem/accounts';
