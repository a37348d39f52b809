export const weth = '0x4200000000000000000000000000000000000006';
export const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';

/** A common mistake, and the required words of its error message. */
export interface Mistake {
  mistake: string;
  message: () => Promise<string>;
  seen: RegExp;
  toDo: RegExp;
}
