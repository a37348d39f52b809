import { expect, test } from 'vitest';
import { newNodeMemory } from './node.ts';
import { hasFailedSimulations, noteSimulation, simulatesNow } from './simulationMemory.ts';

const start = 1_000_000;

test.each([
  ['short', 60_000],
  ['no', 600_000],
] as const)('the result %s is forgotten after %i ms', (result, ms) => {
  const memory = newNodeMemory();
  noteSimulation(memory, result, start);
  expect(simulatesNow(memory, start + ms - 1)).toBe(result);
  expect(simulatesNow(memory, start + ms)).toBe('unknown');
});

test('a success is remembered', () => {
  const memory = newNodeMemory();
  noteSimulation(memory, 'yes', start);
  expect(simulatesNow(memory, start + 1e9)).toBe('yes');
});

test('a success of a short simulation does not lift the limit before it expires', () => {
  const memory = newNodeMemory();
  noteSimulation(memory, 'short', start);
  noteSimulation(memory, 'yes', start + 59_999);
  expect(simulatesNow(memory, start + 59_999)).toBe('short');
  noteSimulation(memory, 'yes', start + 60_000);
  expect(simulatesNow(memory, start + 60_000)).toBe('yes');
});

test('a success lifts the limit of a node that could not simulate', () => {
  const memory = newNodeMemory();
  noteSimulation(memory, 'no', start);
  noteSimulation(memory, 'yes', start + 1);
  expect(simulatesNow(memory, start + 1)).toBe('yes');
});

test('the time of a limit begins anew with each failure, and not with further successes', () => {
  const memory = newNodeMemory();
  noteSimulation(memory, 'no', start);
  noteSimulation(memory, 'no', start + 500_000);
  expect(simulatesNow(memory, start + 700_000)).toBe('no');
  noteSimulation(memory, 'yes', start + 800_000);
  noteSimulation(memory, 'yes', start + 900_000);
  expect(memory.simulatesSince).toBe(start + 800_000);
});

test('a failure counts for a minute, and a node that cannot simulate as long as that is known', () => {
  const memory = newNodeMemory();
  expect(hasFailedSimulations(memory, start)).toBe(false);
  memory.simulationFailedAt = start;
  expect(hasFailedSimulations(memory, start + 59_999)).toBe(true);
  expect(hasFailedSimulations(memory, start + 60_000)).toBe(false);
  noteSimulation(memory, 'short', start + 60_000);
  expect(hasFailedSimulations(memory, start + 60_000)).toBe(false);
  noteSimulation(memory, 'no', start + 60_000);
  expect(hasFailedSimulations(memory, start + 659_999)).toBe(true);
  expect(hasFailedSimulations(memory, start + 660_000)).toBe(false);
});
