module plimsoll.test/e2e/tools

go 1.26
