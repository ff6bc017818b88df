export { ExpressionEditor } from './expression-editor.tsx';
export { ScriptEditor } from './script-editor.tsx';
