-- Replaced by executions_key_order, which begins with the same columns.
DROP INDEX "executions_keys";
