import { expect, test, vi } from 'vitest';
import { createCountedLog } from './countedLog.ts';

test('default: logs the first event, then one line with the number of further ones in an interval', () => {
  vi.useFakeTimers();
  try {
    const lines: unknown[] = [];
    const log = createCountedLog({ info: (facts: object, text: string) => void lines.push([text, facts]) } as never);
    for (let event = 0; event < 12_000; event += 1) log.count('broken request', { event });
    log.count('other', {});
    expect(lines).toEqual([
      ['broken request', { event: 0 }],
      ['other', {}],
    ]);
    vi.advanceTimersByTime(10_000);
    expect(lines.slice(2)).toEqual([['broken request', { events: 11_999, withinMs: 10_000 }]]);
    log.count('broken request', { event: 1 });
    log.count('broken request', { event: 2 });
    log.flush();
    expect(lines.slice(3)).toEqual([
      ['broken request', { event: 1 }],
      ['broken request', { events: 1, withinMs: 10_000 }],
    ]);
  } finally {
    vi.useRealTimers();
  }
});
