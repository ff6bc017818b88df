export { createTester, type Tester, type TestResult } from './tester.js';
export { WorkflowTest } from './workflow-test.js';
export { createVirtualWorld, type VirtualWorld } from './virtual-world.js';
