int broken = notDeclared;
