export const weth = '0x4200000000000000000000000000000000000006';
export const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';

/** A common mistake, and what its error message must contain: the value received and the advice. */
export interface Mistake {
  mistake: string;
  message: () => Promise<string>;
  seen: RegExp;
  toDo: RegExp;
}
