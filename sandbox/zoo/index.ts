export { seedZoo } from './seedZoo.ts';
