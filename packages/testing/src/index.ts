export { createTester, type Tester, type TestResult } from './tester.ts';
export { WorkflowTest } from './workflow-test.ts';
export { createVirtualWorld, type VirtualWorld } from './virtual-world.ts';
