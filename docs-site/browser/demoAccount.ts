// Loaded only when the sandbox's demo wallet pays: signing by key is most of what a page would otherwise carry.
export { privateKeyToAccount } from 'viem/accounts';
