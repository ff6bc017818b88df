export { ExpressionEditor } from './expression-editor.js';
export { ScriptEditor } from './script-editor.js';
