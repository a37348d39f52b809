import { type Mistake, usdc } from './mistake.ts';

/** @param cli returns the error message of a command line */
export const cliMistakes = (cli: (...line: string[]) => Mistake['message']): Mistake[] => [
  { mistake: 'an unknown command', message: cli('sell', 'WETH'), seen: /sell/, toDo: /Known: quote/ },
  {
    mistake: 'one token',
    message: cli('quote', 'WETH', '--size', '1'),
    seen: /got 1 argument\./,
    toDo: /<tokenIn> <tokenOut>/,
  },
  { mistake: 'no size', message: cli('quote', 'WETH', 'USDC'), seen: /got neither/, toDo: /Pass --size/ },
  {
    mistake: 'two sizes',
    message: cli('quote', 'WETH', 'USDC', '--size', '1', '--usd', '1'),
    seen: /got both/,
    toDo: /Pass only one of/,
  },
  {
    mistake: 'an unknown symbol',
    message: cli('quote', 'PEPE', 'USDC', '--size', '1'),
    seen: /PEPE/,
    toDo: /Pass the address/,
  },
  {
    mistake: "another chain's symbol",
    message: cli('quote', 'ARB', 'USDC', '--size', '1'),
    seen: /ARB/,
    toDo: /pass --chain arbitrum/,
  },
  {
    mistake: 'a mistyped address',
    message: cli('quote', usdc.replace('C32D', 'c32D'), 'WETH', '--size', '1'),
    seen: /fails its checksum/,
    toDo: /Copy it again/,
  },
  { mistake: 'a short address', message: cli('check', '0x1234'), seen: /got 4 characters/, toDo: /40 hexadecimal/ },
  {
    mistake: 'an unknown chain',
    message: cli('quote', 'WETH', 'USDC', '--size', '1', '--chain', 'mainnet'),
    seen: /mainnet/,
    toDo: /Use base/,
  },
  {
    mistake: 'an unknown option',
    message: cli('health', '--verbose'),
    seen: /Unknown option '--verbose'/,
    toDo: /It accepts --url/,
  },
  {
    mistake: 'an option of another command',
    message: cli('health', '--max-usd', '1'),
    seen: /--max-usd/,
    toDo: /It accepts --url/,
  },
  {
    mistake: 'a limit that is not a number',
    message: cli('check', 'WETH', '--max-usd', 'all'),
    seen: /got all/,
    toDo: /e\.g\. 0\.10/,
  },
  {
    mistake: 'a URL without a scheme',
    message: cli('health', '--url', 'localhost:4020'),
    seen: /got localhost:4020/,
    toDo: /http or https/,
  },
  ...paymentMistakes(cli),
  { mistake: 'no wallet', message: cli('check', 'WETH'), seen: /No wallet/, toDo: /set TRUEFILL_KEY/ },
  { mistake: 'text instead of a 402', message: cli('sign'), seen: /Got 9 characters/, toDo: /curl -si/ },
  {
    mistake: 'an unreachable service',
    message: cli('quote', 'WETH', 'USDC', '--size', '1', '--sandbox', '--url', 'http://127.0.0.1:1'),
    seen: /127\.0\.0\.1:1 cannot be reached/,
    toDo: /Check --url/,
  },
  {
    mistake: '--sandbox for a live service',
    message: cli('quote', 'WETH', 'USDC', '--size', '1', '--sandbox'),
    seen: /not a sandbox/,
    toDo: /your own wallet/,
  },
];

const paymentMistakes = (cli: (...line: string[]) => Mistake['message']): Mistake[] => [
  {
    mistake: 'a validity that is not a number',
    message: cli('check', 'WETH', '--max-validity', 'long'),
    seen: /got long/,
    toDo: /whole number of seconds/,
  },
  {
    mistake: 'a resumed payment that does not exist',
    message: cli('quote', '--resume', '1a2b3c4d'),
    seen: /1a2b3c4d/,
    toDo: /`truefill pending` lists all/,
  },
  {
    mistake: 'JSON for --resume',
    message: cli('quote', '--resume={"path":"/v1/quote"}'),
    seen: /got \{"path":"/,
    toDo: /takes an id that `truefill pending` shows/,
  },
];
